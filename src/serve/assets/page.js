// The page of `softalign serve`: translates while one types, shows alternatives and where the model looked, and goes on
// from a word that the reader has put in.
"use strict";

const by = (id) => document.getElementById(id);
const alternatives = 5;
let models = [];
let results = [];   // of the sentences
let lines = [];     // of the text: { parts: [{ before, index into results }], behind }, as the translation is written
let current = 0;    // the sentence in hand
let chosen = -1;    // the word in hand
let asked = 0;      // requests so far, so that a late response changes nothing
let timer = 0;

function say(text, bad = false) {
  by("status").textContent = text;
  by("status").classList.toggle("bad", bad);
}

function element(name, text, properties = {}) {
  const made = Object.assign(document.createElement(name), properties);
  made.textContent = text;
  return made;
}

async function ask(path, body) {
  const headers = { "Content-Type": "application/json" };
  if (by("key").value) headers.Authorization = "Bearer " + by("key").value;
  const response = await fetch(path, body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers });
  const json = await response.json().catch(() => ({ error: "the server gave no answer that can be read" }));
  if (!response.ok) throw new Error(json.error || "status " + response.status);
  return json;
}

const model = () => models[by("model").selectedIndex];

// Texts, or one sentence whose translation starts with the prefix.
async function request(text, prefix) {
  const { beam, most_beam, attention, source, target } = model();
  const width = Math.min(Math.max(beam, alternatives), most_beam);
  const body = { text, source: source.code, target: target.code, attention, keep_spans: true, split: !prefix,
                 options: { n_best: Math.min(alternatives, width), beam: width } };
  if (prefix) body.prefix = prefix;
  return (await ask("/v1/translate", body)).results;
}

async function translate() {
  const number = ++asked;
  const texts = by("text").value.split(/\r?\n/);
  const worded = texts.filter((text) => text.trim());
  if (!worded.length) {
    results = [];
    lines = [];
    say("");
    show();
    return;
  }
  say("translating …");
  const began = performance.now();
  try {
    const found = await request(worded);
    if (number !== asked) return;
    results = found.flatMap((line) => line.sentences);
    let next = 0;
    let index = 0;
    lines = texts.map((text) => {
      const { sentences, behind = "" } = text.trim() ? found[next++] : { sentences: [], behind: text };
      return { parts: sentences.map(({ before = "" }) => ({ before, index: index++ })), behind };
    });
    current = Math.max(0, Math.min(current, results.length - 1));
    chosen = -1;
    say(Math.round(performance.now() - began) + " ms");
    show();
  } catch (error) {
    if (number === asked) say(error.message, true);
  }
}

function later() {
  clearTimeout(timer);
  timer = setTimeout(translate, 250);
}

const best = (index) => results[index].translations[0];

// A translation as it is in the text, with what the model does not see.
const inText = (translation) => translation.restored ?? translation.text;

const spansOf = (index) => results[index].spans || [];
const numberOf = (name) => [...name].reduce((sum, letter) => 26 * sum + letter.charCodeAt(0) - 96, 0) - 1;

// What the model read or wrote, with the spans that its placeholders stand for.
function filled(index, text) {
  return text.replace(/⦃([a-z]+)⦄/g, (whole, name) => spansOf(index)[numberOf(name)] ?? whole);
}

// The words of a translation with what stands between them.
function parts(text) {
  return text.split(/(\s+)/).filter((part) => part);
}

const wordsOf = (text) => parts(text).filter((part) => part.trim());

// For each of the words, the number of the same one among the others, or -1: by the fewest changes between the two. One
// that was written without a space beside a span has it as a part.
function counterparts(words, others) {
  const change = (word, other) => (word === other ? 0 : word.length > 1 && other.includes(word) ? 0.5 : 3);
  const costs = [others.map((other, j) => j).concat(others.length)];
  words.forEach((word, i) => {
    const row = [i + 1];
    others.forEach((other, j) => row.push(Math.min(costs[i][j] + change(word, other), costs[i][j + 1] + 1, row[j] + 1)));
    costs.push(row);
  });
  const found = words.map(() => -1);
  for (let i = words.length, j = others.length; i > 0 && j > 0;) {
    if (costs[i][j] === costs[i - 1][j - 1] + change(words[i - 1], others[j - 1])) found[--i] = --j;
    else if (costs[i][j] === costs[i - 1][j] + 1) --i;
    else --j;
  }
  return found;
}

// For each word of the best translation in the text, its number among those that the model wrote, or -1.
const wordNumbers = (index) =>
  counterparts(wordsOf(inText(best(index))), wordsOf(best(index).text).map((word) => filled(index, word)));

// The words that the model wrote can be chosen; spans that were put back cannot.
function shown(index) {
  const sentence = element("span", "", { className: "sentence" });
  sentence.dataset.index = index;
  sentence.classList.toggle("chosen", index === current && results.length > 1);
  const text = inText(best(index));
  const numbers = wordNumbers(index);
  for (const part of parts(text)) {
    const here = part.trim() ? numbers.shift() : -1;
    if (here < 0) {
      sentence.append(part);
      continue;
    }
    const button = element("button", part, { type: "button", className: "word" });
    button.dataset.word = here;
    button.setAttribute("aria-pressed", String(index === current && here === chosen));
    button.addEventListener("click", () => choose(index, here));
    sentence.append(button);
  }
  return sentence;
}

function show() {
  const place = by("translation");
  place.replaceChildren(...lines.map(({ parts: sentences, behind }) => {
    const line = element("p", "");
    sentences.forEach(({ before, index }) => line.append(before, shown(index)));
    line.append(behind);
    return line;
  }));
  by("copy").disabled = by("download").disabled = !lines.length;
  by("details").hidden = !results.length;
  if (results.length) showDetails();
}

// How much the translation's words looked at the source's pieces: rows of pieces become rows of words by the marks of
// their beginnings.
function groups(pieces) {
  const all = [];
  pieces.forEach((piece, i) => {
    if (i === pieces.length - 1 && piece === "</s>") return;
    if (!all.length || piece.startsWith("▁") || !pieces.some((other) => other.startsWith("▁"))) all.push({ text: "", at: [] });
    const last = all[all.length - 1];
    last.text += piece.replace(/▁/g, "");
    last.at.push(i);
  });
  return all.filter((word) => word.text);
}

// Those of the source as they are in the text, also where the vocabulary lacks them.
function sourceGroups(result) {
  const all = groups(result.source_pieces);
  const words = wordsOf(result.source);
  return words.length === all.length ? all.map((word, i) => ({ ...word, text: words[i] })) : all;
}

function wordWeights(result) {
  const { attention, pieces } = result.translations[0];
  if (!attention) return null;
  const source = sourceGroups(result);
  const target = groups(pieces);
  const weights = target.map((word) => source.map((other) =>
    word.at.reduce((sum, t) => sum + other.at.reduce((part, s) => part + attention[t][s], 0), 0) / word.at.length));
  return { source, target, weights };
}

function shade(cell, weight) {
  cell.style.setProperty("background-color", `rgba(var(--mark), ${Math.min(1, weight).toFixed(3)})`);
}

function showDetails() {
  const result = results[current];
  const matrix = wordWeights(result);
  const row = matrix && chosen >= 0 ? matrix.weights[chosen] : null;
  by("source-words").replaceChildren(...(matrix ? matrix.source : sourceGroups(result)).flatMap((word, i) => {
    const span = element("span", filled(current, word.text));
    if (row) {
      shade(span, row[i]);
      span.title = (100 * row[i]).toFixed(0) + " %";
    }
    return [span, " "];
  }));
  const words = wordsOf(best(current).text);
  by("replace").hidden = chosen < 0 || !model().prefixes;
  if (chosen >= 0) {
    by("replaced").textContent = filled(current, words[chosen]);
    by("word").value = filled(current, words[chosen]);
    const before = words.slice(0, chosen).join(" ");
    const others = new Set(result.translations.map((other) => wordsOf(other.text))
      .filter((other) => other.slice(0, chosen).join(" ") === before && other[chosen] && other[chosen] !== words[chosen])
      .map((other) => other[chosen]));
    by("choices").replaceChildren(...[...others].map((other) => {
      const button = element("button", filled(current, other), { type: "button" });
      button.addEventListener("click", () => goOn(other));
      return button;
    }));
  }
  by("alternatives").replaceChildren(...result.translations.slice(1).filter((other) => other.text.trim()).map((other) => {
    const item = element("li", "");
    const button = element("button", inText(other), { type: "button" });
    button.addEventListener("click", () => {
      result.translations = [other, ...result.translations.filter((one) => one !== other)];
      chosen = -1;
      show();
    });
    item.append(button, element("span", " " + other.score.toFixed(2)));
    return item;
  }));
  by("map").replaceChildren(matrix ? table(matrix) : element("p", "This model has no attention."));
}

function table({ source, target, weights }) {
  const made = element("table", "");
  const head = made.createTHead().insertRow();
  head.append(element("td", ""), ...source.map((word) => element("th", filled(current, word.text), { scope: "col" })));
  const body = made.createTBody();
  target.forEach((word, t) => {
    const row = body.insertRow();
    row.append(element("th", filled(current, word.text), { scope: "row" }));
    weights[t].forEach((weight, s) => {
      const cell = row.insertCell();
      shade(cell, weight);
      cell.title = `${filled(current, word.text)} → ${filled(current, source[s].text)}: ${(100 * weight).toFixed(0)} %`;
    });
  });
  return made;
}

function choose(index, word) {
  chosen = index === current && word === chosen ? -1 : word;
  current = index;
  show();
  const button = by("translation").querySelector(`[data-index="${index}"] [data-word="${word}"]`);
  if (button) button.focus();
}

// Translates the sentence in hand again, with `word` in place of the chosen one and the words before it kept.
async function goOn(word) {
  const number = ++asked;
  const text = inText(best(current));
  const numbers = wordNumbers(current);
  let at = -1;
  let start = "";
  for (const part of parts(text)) {
    if (part.trim() && numbers[++at] === chosen) break;
    start += part;
  }
  const { source, original } = results[current];
  say("translating …");
  try {
    const [found] = await request([original ?? source], start + word + " ");
    if (number !== asked) return;
    results[current] = found.sentences[0];
    say("");
    show();
  } catch (error) {
    if (number === asked) say(error.message, true);
  }
}

const whole = () => lines.map(({ parts: sentences, behind }) =>
  sentences.map(({ before, index }) => before + inText(best(index))).join("") + behind).join("\n");

async function copy() {
  try {
    await navigator.clipboard.writeText(whole());
    say("copied");
  } catch (error) {
    say("the browser does not let this page copy; select the text instead", true);
  }
}

function download() {
  const link = element("a", "", { download: "translation.txt" });
  link.href = URL.createObjectURL(new Blob([whole() + "\n"], { type: "text/plain" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function setTheme(dark) {
  document.documentElement.dataset.theme = dark ? "dark" : "light";
  by("theme").setAttribute("aria-pressed", String(dark));
}

async function start() {
  setTheme(matchMedia("(prefers-color-scheme: dark)").matches);
  by("theme").addEventListener("click", () => setTheme(document.documentElement.dataset.theme !== "dark"));
  by("text").addEventListener("input", later);
  by("model").addEventListener("change", translate);
  by("key").addEventListener("change", translate);
  by("copy").addEventListener("click", copy);
  by("download").addEventListener("click", download);
  by("clear").addEventListener("click", () => {
    by("text").value = "";
    by("text").focus();
    translate();
  });
  by("key-form").addEventListener("submit", (event) => event.preventDefault());
  by("replace").addEventListener("submit", (event) => {
    event.preventDefault();
    if (by("word").value.trim()) goOn(by("word").value.trim());
  });
  try {
    models = await ask("/v1/models");
    by("key-form").hidden = !(await ask("/frontend/settings")).keyRequired;
    by("model").replaceChildren(...models.map(({ source, target }) => element("option", `${source.name} → ${target.name}`)));
  } catch (error) {
    say(error.message, true);
  }
  by("text").focus();
}

start();
