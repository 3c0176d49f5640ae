// What scripts/test_report.sh runs: check_report.js REPORT.html..., with CHROMIUM and SCREENSHOTS in the environment.
"use strict";
const assert = require("node:assert/strict");
const path = require("node:path");
const { pathToFileURL } = require("node:url");
const { DESKTOP, PHONE, NARROW, newPage, checkAccessibility, checkWidth, withBrowser } = require("../lib/browser.js");

// What scrolls by itself.
const SCROLLS = ".scroll, pre, nav ul, svg";

async function opened(browser, file, viewport, colorScheme) {
  const url = pathToFileURL(path.resolve(file)).href;
  const opening = await newPage(browser, { viewport, colorScheme }, (asked) => asked.split("#")[0] === url);
  await opening.page.goto(url);
  return opening;
}

async function openAll(page) {
  await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
}

async function checkInert(page) {
  const found = await page.evaluate(() => {
    const all = [...document.querySelectorAll("*")];
    return {
      hacked: window.hacked,
      handlers: all.filter((e) => [...e.attributes].some((a) => /^on/i.test(a.name))).map((e) => e.outerHTML.slice(0, 80)),
      foreign: all.filter((e) => ["IMG", "IFRAME", "OBJECT", "EMBED", "LINK", "BASE", "FORM"].includes(e.tagName))
        .map((e) => e.outerHTML.slice(0, 80)),
      scripts: all.filter((e) => e.tagName.toLowerCase() === "script" && e.type !== "application/json").length,
      links: [...document.querySelectorAll("a")].map((a) => a.getAttribute("href")).filter((h) => !h.startsWith("#")),
      bidi: /[\u202A-\u202E\u2066-\u2069]/.test(document.documentElement.outerHTML),
    };
  });
  assert.deepEqual(found, { hacked: undefined, handlers: [], foreign: [], scripts: 1, links: [], bidi: false });
}

async function checkCharts(page) {
  const figures = await page.$$(".chart");
  for (const figure of figures) {
    const plot = await figure.$(".plot");
    if (!plot) {
      continue;
    }
    const title = await figure.$eval("h3", (e) => e.textContent);
    assert.ok(title.trim(), "a chart has a title");
    assert.equal(await figure.$$eval("svg .label", (labels) => labels.filter((l) => l.textContent.trim()).length), 2,
      title + ": both axes have labels");
    assert.ok(await figure.$(".values table"), title + ": has a table");
    const readout = () => figure.$eval(".readout", (e) => e.textContent);
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    await page.mouse.move(box.x + box.width * 0.6, box.y + box.height * 0.5);
    assert.match(await readout(), /\d/, title + ": hovering shows values");
    await page.mouse.move(0, 0);
    assert.equal(await readout(), "", title + ": leaving clears them");
    await plot.focus();
    await page.keyboard.press("End");
    const last = await readout();
    assert.match(last, /\d/, title + ": End shows the last value");
    await page.keyboard.press("Home");
    const first = await readout();
    const stops = await figure.$eval("script", (e) => new Set(JSON.parse(e.textContent).series.flatMap((s) => s.points.map((p) => p[0]))).size);
    if (stops > 1) {
      assert.notEqual(first, last, title + ": Home shows the first");
      await page.keyboard.press("ArrowRight");
      assert.notEqual(await readout(), first, title + ": the arrow goes on");
    }
    await page.keyboard.press("Escape");
    assert.equal(await readout(), "", title + ": Escape clears");
  }
  return figures.length;
}

async function checkHeatMaps(page) {
  const heats = await page.$$(".heat");
  for (const heat of heats.slice(0, 8)) {
    const box = await heat.$(".scroll");
    const readout = () => heat.$eval(".readout", (e) => e.textContent);
    const weights = (await heat.$eval("svg", (e) => e.dataset.weights)).split(";").map((row) => row.split(" ").map(Number));
    const expected = (row, column) => ": " + (weights[row][column] / 1000).toFixed(3);
    await box.scrollIntoViewIfNeeded();
    await box.focus();
    await page.keyboard.press("ArrowRight");
    assert.ok((await readout()).endsWith(expected(0, 0)), "the first key shows the first weight");
    if (weights.length > 1 && weights[0].length > 1) {
      await page.keyboard.press("ArrowRight");
      await page.keyboard.press("ArrowDown");
      assert.ok((await readout()).endsWith(expected(1, 1)), "the arrows go from weight to weight");
    }
    await page.keyboard.press("Escape");
    assert.equal(await readout(), "");
    await page.evaluate(() => document.activeElement.blur());
    const place = await heat.$eval("svg", (svg) => {
      svg.scrollIntoView({ block: "start", inline: "start" });
      const rect = svg.getBoundingClientRect();
      const scale = rect.width / svg.viewBox.baseVal.width;
      return { x: rect.x + scale * (Number(svg.dataset.left) + Number(svg.dataset.cell) / 2),
               y: rect.y + scale * (Number(svg.dataset.top) + Number(svg.dataset.cell) / 2) };
    });
    await page.mouse.move(place.x, place.y);
    assert.ok((await readout()).endsWith(expected(0, 0)), "hovering shows the weight");
    await page.mouse.move(0, 0);
  }
  return heats.length;
}

// The least contrast (WCAG 2) between text and what it stands on.
function contrasts(page) {
  return page.evaluate(() => {
    const channels = (colour) => colour.match(/[\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const ground = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = channels(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] === 1) {
          return colour;
        }
      }
      return channels(getComputedStyle(document.body).backgroundColor);
    };
    const result = [];
    for (const element of document.querySelectorAll("p, dt, dd, a, summary, th, td, h1, h2, h3, h4, ins, del, small, button, li, .plot text, .heat text")) {
      const style = getComputedStyle(element);
      const colour = channels(element.namespaceURI.endsWith("svg") ? style.fill : style.color);
      const [a, b] = [luminance(colour), luminance(ground(element))].sort((x, y) => y - x);
      result.push({ what: element.tagName + "." + (element.getAttribute("class") || ""), ratio: (a + 0.05) / (b + 0.05) });
    }
    return result.filter((item) => item.ratio < 4.5);
  });
}

async function checkColours(page) {
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await background();
  assert.deepEqual(await contrasts(page), [], "text stands out");
  await page.click("#theme");
  const after = await background();
  assert.notEqual(after, before, "the button changes the colours");
  assert.deepEqual(await contrasts(page), [], "text stands out after the change");
  await page.click("#theme");
  assert.equal(await background(), before);
  return before;
}

async function checkKeyboard(page) {
  await page.evaluate(() => document.activeElement.blur());
  const reached = [];
  for (let i = 0; i < 4; ++i) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.id || document.activeElement.className ||
      document.activeElement.tagName));
  }
  assert.deepEqual(reached.slice(0, 2), ["skip", "theme"], "Tab reaches the skip link and the button first");
  const summary = await page.$("section summary");
  if (summary) {
    const isOpen = () => summary.evaluate((e) => e.parentElement.open);
    const before = await isOpen();
    await summary.focus();
    await page.keyboard.press("Enter");
    assert.notEqual(await isOpen(), before, "Enter folds and unfolds");
    await page.keyboard.press("Enter");
  }
}

async function screenshot(page, file, name) {
  if (process.env.SCREENSHOTS) {
    const stem = path.basename(file, ".html");
    await page.screenshot({ path: path.join(process.env.SCREENSHOTS, `${stem}-${name}.png`), fullPage: true });
  }
}

async function check(browser, file) {
  const grounds = [];
  for (const scheme of ["light", "dark"]) {
    const { page, events, close } = await opened(browser, file, DESKTOP, scheme);
    await screenshot(page, file, "desktop-" + scheme);
    await checkKeyboard(page);
    grounds.push(await checkColours(page));
    await openAll(page);
    await checkAccessibility(page);
    await checkInert(page);
    await checkWidth(page, DESKTOP, SCROLLS);
    const charts = await checkCharts(page);
    const heats = await checkHeatMaps(page);
    await checkInert(page);
    assert.deepEqual(events, [], "nothing on the console and no request");
    if (scheme === "light") {
      console.log(`${path.basename(file)}: ${charts} charts, ${heats} pictures of attention`);
    }
    await close();
  }
  assert.notEqual(grounds[0], grounds[1], "the page follows the system's colours");
  for (const viewport of [PHONE, NARROW]) {
    for (const scheme of viewport === PHONE ? ["light", "dark"] : ["light"]) {
      const { page, events, close } = await opened(browser, file, viewport, scheme);
      await checkWidth(page, viewport, SCROLLS);
      await screenshot(page, file, (viewport === PHONE ? "phone-" : "narrow-") + scheme);
      await openAll(page);
      await checkWidth(page, viewport, SCROLLS);
      await checkAccessibility(page);
      assert.deepEqual(events, []);
      await close();
    }
  }
}

withBrowser(async (browser) => {
  for (const file of process.argv.slice(2)) {
    await check(browser, file);
  }
  console.log("all reports pass");
});
