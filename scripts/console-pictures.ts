// Opens the built console in a Chromium of this machine and takes the pictures of docs/console.md and docs/canvas.md.
import { readdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { findBrowser } from "@haft/service/web";
import { chromium } from "playwright-core";
import sharp from "sharp";
import { TOKEN, testServer } from "../packages/haft/test/support/console-server.ts";
import {
  demoCanvas,
  demoModels,
  demoPage,
  demoQuestions,
  demoSchedules,
  demoSession,
  demoWork,
} from "../packages/web/src/demo.ts";

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const found = findBrowser(undefined, process.env);
if (!("executable" in found)) throw new Error("There is no Chromium on this machine.");
for (const name of readdirSync(path("docs/img"))) if (name.startsWith("console-")) rmSync(path(`docs/img/${name}`));

await using server = await testServer(demoModels(), {
  consoleFolder: path("packages/haft/dist/console"),
  session: { rules: { allow: ["write(src/greet.ts)"] } },
});
const session = await demoSession(server);
demoSchedules(server);
const work = await demoWork(server);
const shown = await demoCanvas(server);
await demoQuestions(server);

/** The name of each picture, its address, a part that is there when it is complete, and its width. */
const PICTURES = [
  ["session", `#/s/${session}`, ".approval", 1280],
  ["time", `#/s/${work}/time/w2`, ".diff", 1280],
  ["inbox", "#/approvals", ".approval", 1280],
  ["canvas", `#/s/${shown}`, ".canvas-frame", 1280],
  ["phone", `#/s/${session}`, ".approval", 390],
] as const;

const browser = await chromium.launch({ executablePath: found.executable, args: ["--no-sandbox"] });
try {
  for (const theme of ["light", "dark"] as const)
    for (const [name, address, ready, width] of PICTURES) {
      const viewport = { width, height: width < 500 ? 844 : 800 };
      const page = await (await browser.newContext({ viewport, colorScheme: theme })).newPage();
      await page.goto(`${server.handle.url}/#token=${TOKEN}&page=${address.slice(1)}`);
      if (name === "canvas" && theme === "light") {
        await page.waitForSelector("textarea");
        await demoPage(server, shown);
      }
      await page.waitForSelector(`main ${ready}`);
      await page.waitForLoadState("networkidle");
      await sharp(await page.screenshot())
        .png({ palette: true, colours: 96, effort: 10 })
        .toFile(path(`docs/img/console-${name}-${theme}.png`));
      await page.context().close();
    }
} finally {
  await browser.close();
}
