
"use strict";
(function () {
  const SVG = "http://www.w3.org/2000/svg";

  // All that comes from the page's data goes through here, as text and never as markup.
  function element(parent, name, attributes, text) {
    const made = parent.namespaceURI === SVG || name === "svg"
      ? document.createElementNS(SVG, name) : document.createElement(name);
    for (const key of Object.keys(attributes || {})) {
      made.setAttribute(key, attributes[key]);
    }
    if (text !== undefined) {
      made.textContent = text;
    }
    parent.appendChild(made);
    return made;
  }

  // Where the pointer is in the units of the drawing.
  function drawingPoint(svg, event) {
    const matrix = svg.getScreenCTM();
    return matrix ? new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse()) : null;
  }

  function nearest(items, distance) {
    let best = null;
    let least = Infinity;
    for (const item of items) {
      const d = distance(item);
      if (d < least) {
        least = d;
        best = item;
      }
    }
    return best;
  }

  function setUpTheme() {
    const root = document.documentElement;
    const button = document.getElementById("theme");
    const system = window.matchMedia("(prefers-color-scheme: dark)");
    const isDark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
    const show = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", isDark() ? "Change to light colours" : "Change to dark colours");
    };
    try {
      const kept = localStorage.getItem("softalign-theme");
      if (kept === "light" || kept === "dark") {
        root.dataset.theme = kept;
      }
    } catch (error) {
      // A page from disk may have no storage: the choice lasts as long as the page.
    }
    button.hidden = false;
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try {
        localStorage.setItem("softalign-theme", root.dataset.theme);
      } catch (error) {
        // As above.
      }
      show();
    });
    system.addEventListener("change", show);
    show();
  }

  // A chart: points are [x in the drawing, y in the drawing, x as text, y as text].
  function setUpChart(figure) {
    const script = figure.querySelector("script");
    if (!script) {
      return;
    }
    const data = JSON.parse(script.textContent);
    const plot = figure.querySelector(".plot");
    const svg = plot.querySelector("svg");
    const readout = figure.querySelector(".readout");
    const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
    const cloud = data.series.some((series) => series.mark === "dots");
    const all = data.series.flatMap((series) => series.points.map((point) => ({ series, point })));
    all.sort((a, b) => a.point[0] - b.point[0] || b.point[1] - a.point[1]);
    // The stops of the arrow keys: single points of a cloud, else places on the x axis.
    const stops = cloud ? all : all.filter((item, i) => i === 0 || item.point[0] !== all[i - 1].point[0]);
    const layer = element(svg, "g", { "aria-hidden": "true" });
    let at = -1;

    function clear() {
      layer.replaceChildren();
      readout.replaceChildren();
      at = -1;
    }

    function show(stop) {
      const x = stop.point[0];
      const shown = cloud ? [stop] : data.series.map((series) => {
        return { series, point: nearest(series.points, (p) => Math.abs(p[0] - x)) };
      }).filter((item) => item.point && Math.abs(item.point[0] - x) <= Math.max(8, width / 40));
      layer.replaceChildren();
      readout.replaceChildren();
      element(layer, "line", { class: "cursor", x1: x, x2: x, y1: 30, y2: height - 46 });
      readout.append(data.x + " ");
      element(readout, "b", {}, stop.point[2]);
      for (const item of shown) {
        element(layer, "circle", { class: "spot c" + item.series.colour, cx: item.point[0], cy: item.point[1], r: 4 });
        readout.append(data.series.length > 1 ? "; " + item.series.name + " " : ": ");
        element(readout, "b", {}, item.point[3]);
      }
      at = stops.indexOf(stop);
    }

    function move(event) {
      const p = drawingPoint(svg, event);
      if (p && stops.length > 0) {
        show(nearest(stops, (s) => cloud ? Math.hypot(s.point[0] - p.x, s.point[1] - p.y) : Math.abs(s.point[0] - p.x)));
      }
    }

    plot.addEventListener("pointermove", move);
    plot.addEventListener("pointerdown", move);
    plot.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && document.activeElement !== plot) {
        clear();
      }
    });
    plot.addEventListener("blur", clear);
    plot.addEventListener("keydown", (event) => {
      const last = stops.length - 1;
      const next = { ArrowRight: Math.min(at + 1, last), ArrowLeft: at < 0 ? last : Math.max(at - 1, 0), Home: 0, End: last };
      if (event.key === "Escape") {
        clear();
      } else if (event.key in next && last >= 0) {
        event.preventDefault();
        show(stops[next[event.key]]);
      }
    });
  }

  // An attention picture: cells of one size from (left, top), weights in thousandths.
  function setUpHeatMap(heat) {
    const box = heat.querySelector(".scroll");
    const svg = box.querySelector("svg");
    const readout = heat.querySelector(".readout");
    const cell = Number(svg.dataset.cell);
    const left = Number(svg.dataset.left);
    const top = Number(svg.dataset.top);
    const weights = svg.dataset.weights.split(";").map((row) => row.split(" ").map(Number));
    const sources = svg.querySelectorAll(".source text");
    const targets = svg.querySelectorAll(".target text");
    const rows = targets.length;
    const columns = sources.length;
    const frame = element(svg, "rect", { class: "chosen", width: cell, height: cell, visibility: "hidden" });
    const label = (text) => text.querySelector("title").textContent;
    let row = -1;
    let column = -1;

    function clear() {
      if (row >= 0) {
        targets[row].classList.remove("on");
        sources[column].classList.remove("on");
      }
      row = column = -1;
      frame.setAttribute("visibility", "hidden");
      readout.replaceChildren();
    }

    function show(r, c) {
      if (r === row && c === column) {
        return;
      }
      clear();
      row = r;
      column = c;
      targets[r].classList.add("on");
      sources[c].classList.add("on");
      frame.setAttribute("x", left + c * cell);
      frame.setAttribute("y", top + r * cell);
      frame.setAttribute("visibility", "visible");
      element(readout, "bdi", {}, label(targets[r]));
      readout.append(" \u2190 ");
      element(readout, "bdi", {}, label(sources[c]));
      readout.append(": ");
      element(readout, "b", {}, (weights[r][c] / 1000).toFixed(3));
    }

    function move(event) {
      const p = drawingPoint(svg, event);
      const c = p ? Math.floor((p.x - left) / cell) : -1;
      const r = p ? Math.floor((p.y - top) / cell) : -1;
      if (r >= 0 && r < rows && c >= 0 && c < columns) {
        show(r, c);
      } else if (document.activeElement !== box) {
        clear();
      }
    }

    svg.addEventListener("pointermove", move);
    svg.addEventListener("pointerdown", move);
    svg.addEventListener("pointerleave", (event) => {
      if (event.pointerType === "mouse" && document.activeElement !== box) {
        clear();
      }
    });
    box.addEventListener("blur", clear);
    box.addEventListener("keydown", (event) => {
      const steps = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowDown: [1, 0], ArrowUp: [-1, 0] };
      if (event.key === "Escape") {
        clear();
      } else if (event.key in steps) {
        event.preventDefault();
        const [down, across] = row < 0 ? [0, 0] : steps[event.key];
        const r = Math.min(Math.max(Math.max(row, 0) + down, 0), rows - 1);
        const c = Math.min(Math.max(Math.max(column, 0) + across, 0), columns - 1);
        show(r, c);
        frame.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    });
  }

  setUpTheme();
  document.querySelectorAll(".chart").forEach(setUpChart);
  document.querySelectorAll(".heat").forEach(setUpHeatMap);
})();
