// What scripts/test_serve.sh client runs: check_client.js ADDRESS KEY TEXTS EXPECTED. The files have a text on each line and
// its translation. The client is the package `translate`, by its engine for LibreTranslate.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const { pathToFileURL } = require("node:url");

const lines = (file) => fs.readFileSync(file, "utf8").split("\n").slice(0, -1);

async function main() {
  const [address, key, textFile, expectedFile] = process.argv.slice(2);
  const texts = lines(textFile);
  const expected = lines(expectedFile);
  assert.equal(texts.length, expected.length);
  const { Translate } = await import(pathToFileURL(require.resolve("translate")));
  const client = (more) => new Translate({ engine: "libre", url: address + "/translate", from: "en", to: "de", ...more });
  const translate = client({ key });

  for (let i = 0; i < texts.length; ++i) {
    assert.equal(await translate(texts[i]), expected[i]);
  }
  // New texts, so that none comes from the cache of the client; all at once.
  const together = texts.map((text) => text + "\n\n" + texts[0]);
  assert.deepEqual(await Promise.all(together.map((text) => translate(text))),
    expected.map((text) => text + "\n\n" + expected[0]));
  assert.deepEqual(await translate(texts), expected);
  assert.equal(await translate(texts[0], "en"), texts[0]);

  const refused = (promise, words) => assert.rejects(promise, (error) => error.message.includes(words));
  await refused(translate(texts[0], "fr"), "fr is not supported");
  await refused(translate(texts[0], { from: "de", to: "en" }), "not available");
  await refused(client({})("another text"), "API key is needed");
  await refused(client({ key: "wrong" })("another text"), "Invalid API key");
  await refused(translate("a".repeat(20000)), "10000 bytes");
  console.log(`the client got ${3 * texts.length} translations as they must be`);
}

main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
