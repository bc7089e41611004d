// Runs after `npm install`. Removes 130 MB of files that no program here reads, so that a newcomer's folder stays small.
import { globSync, rmSync } from "node:fs";

const unread = [
  // The C++ headers of the package that brings Node.
  "node/node_modules/*/include",
  // Source maps of other people's code.
  "**/*.map",
  // Sources, documentation, tests and style sheets that came along.
  "**/{CHANGELOG,README,readme}.md",
  "axe-core/locales",
  "@agentclientprotocol/sdk/schema",
  "{ai,@ai-sdk/*}/{docs,src}",
  "@mixmark-io/domino/test",
  "zod/src",
  "highlight.js/{scss,styles}",
  // A dependency of Ink. Nothing here is written against its types.
  "es-toolkit/**/*.d.{ts,mts}",
];

for (const pattern of unread) {
  for (const path of globSync(`node_modules/${pattern}`)) rmSync(path, { recursive: true, force: true });
}
