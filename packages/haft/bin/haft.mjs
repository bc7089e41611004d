#!/usr/bin/env node
// Plain JavaScript without new syntax: an old Node must get as far as the message below.
import { readFileSync } from "node:fs";
import module from "node:module";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 13)) {
  console.error(
    `haft needs Node 22.13 or newer; this is ${process.version}. ` +
      "Install a current Node from https://nodejs.org, or run `nvm install 24`, and try again.",
  );
  process.exit(2);
}

const first = process.argv[2];
if (first === "--version" || first === "-v") {
  // Answered here because loading the command line would cost many times the answer.
  const manifest = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  console.log(JSON.parse(manifest).version);
} else {
  module.enableCompileCache();
  await import("../dist/cli.mjs");
}
