// What the scripts that drive pages in Chromium share. CHROMIUM names the browser.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { chromium } = require("playwright-core");
const axe = axeSource();

const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const NARROW = { width: 320, height: 640 };

// axe-core as a script, or nothing where it is not installed.
function axeSource() {
  try {
    return fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
  } catch (error) {
    console.log("not checked with axe-core, which is not there (scripts/setup.sh --tests installs it where there is npm)");
    return "";
  }
}

// A page in a context of its own; `events` gathers what should not happen: messages on the console, dialogs, and requests
// whose address `isAllowed` does not allow.
async function newPage(browser, options, isAllowed) {
  const context = await browser.newContext({ deviceScaleFactor: 1, ...options });
  const page = await context.newPage();
  const events = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) {
      events.push("console: " + message.text());
    }
  });
  page.on("pageerror", (error) => events.push("error: " + error.message));
  page.on("dialog", (dialog) => {
    events.push("dialog: " + dialog.message());
    dialog.dismiss();
  });
  page.on("request", (request) => {
    if (!isAllowed(request.url())) {
      events.push("request: " + request.url());
    }
  });
  return { page, events, close: () => context.close() };
}

// The rules of accessibility that axe-core knows.
async function checkAccessibility(page) {
  if (!axe) {
    return;
  }
  // Not by a script element, which the policy of a page may forbid.
  await page.evaluate(axe);
  const violations = await page.evaluate(async () => (await window.axe.run(document)).violations.map((rule) =>
    ({ rule: rule.id, help: rule.help, where: rule.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)) })));
  assert.deepEqual(violations, [], "nothing that axe-core objects to");
}

// `scrolls`: a selector of what may be wider, since it scrolls by itself.
async function checkWidth(page, { width }, scrolls) {
  const wide = await page.evaluate((selector) => ({
    page: document.scrollingElement.scrollWidth,
    culprits: [...document.querySelectorAll("body *")].filter((e) => !e.closest(selector) &&
      e.getBoundingClientRect().right > window.innerWidth + 1).map((e) => `${e.tagName}#${e.id}.${e.className}`).slice(0, 5),
  }), scrolls);
  assert.ok(wide.page <= width, `at ${width} the page is ${wide.page} wide: ${wide.culprits}`);
}

// Calls `check` with a browser. An error is shown, and ends the process with status 1.
async function withBrowser(check) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  try {
    await check(browser);
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
}

module.exports = { DESKTOP, PHONE, NARROW, newPage, checkAccessibility, checkWidth, withBrowser };
