-- Requests of wrk: the lines of the file that SENTENCES names, one after another, for ever.
local requests, at = {}, 0

function init()
    for line in io.lines(os.getenv("SENTENCES")) do
        local text = line:gsub('[%c\\"]', function(c) return string.format("\\u%04x", c:byte()) end)
        requests[#requests + 1] = wrk.format("POST", "/translate", {["Content-Type"] = "application/json"},
            '{"q":"' .. text .. '","source":"en","target":"de"}')
    end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format("RESULT %f %f %f %d\n", summary.requests / summary.duration * 1e6, latency:percentile(50) / 1000,
        latency:percentile(99) / 1000, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
