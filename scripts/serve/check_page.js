// What scripts/test_serve.sh page runs: check_page.js ADDRESS TEXTS EXPECTED, with CHROMIUM and SCREENSHOTS in the
// environment. The files have a text on each line and its translation.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const { DESKTOP, PHONE, NARROW, newPage, checkAccessibility, checkWidth, withBrowser } = require("../lib/browser.js");

const lines = (file) => fs.readFileSync(file, "utf8").split("\n").slice(0, -1);
const words = (text) => text.split(/\s+/).filter((word) => word);

async function opened(browser, address, viewport, colorScheme = "light") {
  const options = {
    viewport, colorScheme, hasTouch: viewport !== DESKTOP, permissions: ["clipboard-read", "clipboard-write"],
  };
  const opening = await newPage(browser, options, (asked) => asked.startsWith(address + "/") || /^(data|blob):/.test(asked));
  const { page } = opening;
  page.setDefaultTimeout(60000);
  const response = await page.goto(address + "/");
  assert.match(response.headers()["content-security-policy"], /default-src 'none'.*frame-ancestors 'none'/);
  await page.waitForFunction(() => document.querySelector("#model").options.length > 0);
  return opening;
}

const translated = (page) => page.$$eval("#translation p", (all) => all.map((p) => p.textContent).join("\n"));

// Waits until the translation is this.
async function expectTranslation(page, expected) {
  await page.waitForFunction((wanted) =>
    [...document.querySelectorAll("#translation p")].map((p) => p.textContent).join("\n") === wanted, expected, { timeout: 20000 })
    .catch(async () => assert.equal(await translated(page), expected));
}

async function screenshot(page, name) {
  if (process.env.SCREENSHOTS) {
    await page.screenshot({ path: path.join(process.env.SCREENSHOTS, `serve-${name}.png`), fullPage: true });
  }
}

// Types one line after another, and sees each translated.
async function checkTyping(page, texts, expected) {
  await page.locator("#text").pressSequentially(texts[0]);
  await expectTranslation(page, expected[0]);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Enter");
  await page.keyboard.insertText(texts[1]);
  await expectTranslation(page, `${expected[0]}\n\n${expected[1]}`);
  await page.fill("#text", texts.join("\n"));
  await expectTranslation(page, expected.join("\n"));
}

async function checkMarkupIsText(page) {
  const text = "alpha <img src=x onerror=\"window.hacked = 1\"> bravo";
  await Promise.all([page.waitForResponse((response) => response.url().endsWith("/v1/translate")), page.fill("#text", text)]);
  await page.waitForFunction(() => / ms$/.test(document.querySelector("#status").textContent));
  assert.deepEqual(await page.evaluate(() => [window.hacked, document.querySelectorAll("img").length]), [undefined, 0]);
}

// A word is chosen: the source words are shaded as the attention of the model says, also in the map.
async function checkAttention(page, source) {
  const target = page.locator("#translation button.word");
  const count = await target.count();
  for (let i = 0; i < count; ++i) {
    await target.nth(i).click();
    assert.equal(await target.nth(i).getAttribute("aria-pressed"), "true");
    assert.equal(await page.locator("#translation [aria-pressed=true]").count(), 1);
    const shaded = await page.$$eval("#source-words span", (spans) => spans.map((span) =>
      ({ text: span.textContent, percent: parseInt(span.title, 10), colour: getComputedStyle(span).backgroundColor })));
    assert.deepEqual(shaded.map((word) => word.text), words(source));
    // What is left of the sum is at the end of the sentence, which is not shown.
    const sum = shaded.reduce((total, word) => total + word.percent, 0);
    assert.ok(sum >= 0 && sum <= 100 + shaded.length, `attention of ${sum} %`);
    const row = await page.$$eval("#map tbody tr", (rows, index) => [...rows[index].cells].slice(1).map((cell) => cell.title), i);
    row.forEach((title, s) => assert.ok(title.endsWith(`→ ${shaded[s].text}: ${shaded[s].percent} %`), title));
    const opacity = (word) => Number((word.colour.match(/[\d.]+/g) || [])[3] ?? 1);
    const order = [...shaded].sort((a, b) => a.percent - b.percent);
    assert.ok(opacity(order[0]) <= opacity(order[order.length - 1]), "more attention, darker");
  }
  await target.nth(0).click();
  await target.nth(0).click();
  assert.equal(await page.locator("#translation [aria-pressed=true]").count(), 0, "a second click takes the choice back");
}

// Another word in place of the chosen one: what is before it stays.
async function checkReplacing(page) {
  const before = words(await translated(page));
  const at = before.length - 1;
  await page.locator("#translation button.word").nth(at).click();
  assert.equal(await page.inputValue("#word"), before[at]);
  await page.fill("#word", "okce");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#translation").textContent.includes("okce"));
  assert.deepEqual(words(await translated(page)).slice(0, at + 1), [...before.slice(0, at), "okce"]);
}

const SPANS = ["https://example.org/?a=1&b=2", "12"];

// By each model: spans are in the translation once, also after a word of it was replaced; those that the model did not
// write have no button.
async function checkSpans(page, placeholders) {
  await page.click("#clear");
  await expectTranslation(page, "");
  await page.fill("#text", `alpha ${SPANS[0]} bravo ${SPANS[1]} delta`);
  await page.waitForFunction((url) => document.querySelector("#translation").textContent.includes(url), SPANS[0]);
  const checkOnce = (text) => SPANS.forEach((span) => assert.equal(text.split(span).length, 2, text));
  checkOnce(await translated(page));
  const buttons = await page.$$eval("#translation button.word", (all) => all.map((button) => button.textContent));
  assert.equal(SPANS.some((span) => buttons.includes(span)), placeholders, "buttons: " + buttons);
  await page.locator("#translation button.word").nth(0).click();
  await page.fill("#word", "okce");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.querySelector("#translation").textContent.includes("okce"));
  checkOnce(await translated(page));
  // What has nothing to translate stays where it is.
  await page.fill("#text", `alpha bravo. ${SPANS[0]} 12! Golf hotel.\n\n😀\n12`);
  await page.waitForFunction(() => document.querySelectorAll("#translation p").length === 4);
  const lines = (await translated(page)).split("\n");
  assert.ok(lines[0].includes(SPANS[0]) && lines[0].includes("12"), lines[0]);
  assert.deepEqual(lines.slice(1), ["", "😀", "12"]);
}

async function checkAlternatives(page) {
  const others = page.locator("#alternatives button");
  assert.ok(await others.count() >= 2, "there are alternatives");
  const before = await translated(page);
  const other = await others.nth(1).textContent();
  await others.nth(1).click();
  await expectTranslation(page, other);
  assert.equal(await others.nth(0).textContent(), before);
}

async function checkTakingAway(page, expected) {
  await page.click("#copy");
  await page.waitForFunction(() => document.querySelector("#status").textContent === "copied");
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), expected);
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#download")]);
  assert.equal(download.suggestedFilename(), "translation.txt");
  assert.equal(fs.readFileSync(await download.path(), "utf8"), expected + "\n");
}

// Everything is reached by Tab, and Enter chooses a word.
async function checkKeyboard(page) {
  await page.focus("#text");
  const reached = [];
  for (let i = 0; i < 12; ++i) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement.className || document.activeElement.id));
    if (reached[reached.length - 1] === "word") {
      break;
    }
  }
  assert.equal(reached[reached.length - 1], "word", "Tab reaches the words: " + reached);
  await page.keyboard.press("Enter");
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-pressed")), "true");
  await page.keyboard.press("Enter");
}

async function checkTheme(page) {
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const before = await ground();
  await page.click("#theme");
  assert.notEqual(await ground(), before);
  await checkAccessibility(page);
  await page.click("#theme");
  assert.equal(await ground(), before);
}

async function checkDesktop(browser, address, texts, expected) {
  const { page, events, close } = await opened(browser, address, DESKTOP);
  assert.equal(await page.evaluate(() => document.activeElement.id), "text", "one can type at once");
  await checkTyping(page, texts, expected);
  await checkTakingAway(page, expected.join("\n"));
  const longest = texts.reduce((best, text, i) => (words(text).length > words(texts[best]).length ? i : best), 0);
  await page.fill("#text", texts[longest]);
  await expectTranslation(page, expected[longest]);
  await page.click("#details details summary");
  await checkAttention(page, texts[longest]);
  await checkKeyboard(page);
  await page.locator("#translation button.word").nth(0).click();
  await screenshot(page, "desktop");
  await checkTheme(page);
  await checkAccessibility(page);
  await checkWidth(page, DESKTOP, ".scroll");
  await checkAlternatives(page);
  await checkReplacing(page);
  await checkMarkupIsText(page);
  await checkSpans(page, false);
  await page.selectOption("#model", { index: 1 });
  await checkSpans(page, true);
  await page.selectOption("#model", { index: 0 });
  await page.click("#clear");
  await expectTranslation(page, "");
  assert.equal(await page.isVisible("#details"), false);
  assert.deepEqual(events, [], "nothing on the console, and no request to elsewhere");
  await page.fill("#text", "a".repeat(20000));
  await page.waitForFunction(() => document.querySelector("#status.bad"));
  assert.match(await page.textContent("#status"), /10000 bytes/);
  await close();
}

async function checkPhone(browser, address, viewport, name, texts, expected) {
  const { page, events, close } = await opened(browser, address, viewport, "dark");
  await checkWidth(page, viewport, ".scroll");
  await page.fill("#text", texts.join("\n"));
  await expectTranslation(page, expected.join("\n"));
  await page.tap("#translation button.word");
  await page.tap("#details details summary");
  assert.equal(await page.locator("#translation [aria-pressed=true]").count(), 1);
  await checkWidth(page, viewport, ".scroll");
  await checkAccessibility(page);
  await screenshot(page, name);
  assert.deepEqual(events, []);
  await close();
}

withBrowser(async (browser) => {
  const [address, textFile, expectedFile] = process.argv.slice(2);
  const texts = lines(textFile);
  const expected = lines(expectedFile);
  await checkDesktop(browser, address, texts.slice(0, 20), expected.slice(0, 20));
  await checkPhone(browser, address, PHONE, "phone", texts, expected);
  await checkPhone(browser, address, NARROW, "narrow", texts, expected);
  console.log("the page passes at the widths of a desktop, a phone and a narrow phone");
});
