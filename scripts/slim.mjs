// Runs after `npm install`. The package that brings Node also brings its C++ headers, 67 MB, and nothing here uses them.
import { globSync, rmSync } from "node:fs";

for (const folder of globSync("node_modules/node/node_modules/*/include")) rmSync(folder, { recursive: true });
