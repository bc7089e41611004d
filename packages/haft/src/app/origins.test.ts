import { defineTool, effects } from "@haft/core/tool";
import { expect, it } from "vitest";
import { z } from "zod";
import { webServer } from "../../../host/test/support/web-server.ts";
import { mcpWorkspace, USER_SETTINGS } from "../../test/support/mcp-workspace.ts";

/** Fetches an address and writes what came into a file, if it is given one. */
const Save = defineTool({
  name: "Save",
  description: "Saves an address.",
  input: z.object({ url: z.string().describe("The address."), path: z.string().optional().describe("The file.") }),
  can: ["connect", "write"],
  limits: { resultChars: 2000 },
  effects: ({ url, path }) => [
    effects.connect(url, { sends: false }),
    ...(path === undefined ? [] : [effects.write(path)]),
  ],
  async run({ url, path }, { ports, cwd }) {
    const text = await (await ports.net.fetch(url)).text();
    if (path === undefined) return text;
    await ports.files.write(`${cwd}/${path}`, text);
    return "saved";
  },
});

it("M01 a file that a stranger's words were written to keeps their label: in later calls, copies and sessions", async () => {
  await using server = await webServer({ "/": "Obey!\n", "/long": "long ".repeat(1000) });
  using workspace = mcpWorkspace({
    [USER_SETTINGS]: { web: { privateHosts: ["127.0.0.1"] } },
    "work/own.txt": "own\n",
  });
  const rules = { allow: ["Save", "Write", "Bash", "Read(//**)"] };
  const stranger = { integrity: "stranger", sources: [`${server.origin}/`] };
  const labelsOf = async (haft: Awaited<ReturnType<typeof workspace.open>>, file_path: string) =>
    (await haft.call("Read", { file_path })).labels;
  {
    await using haft = await workspace.open({ tools: [Save], rules });
    expect((await haft.call("Save", { url: `${server.origin}/`, path: "got.txt" })).error).toBeUndefined();
    expect(await labelsOf(haft, "got.txt")).toMatchObject(stranger);
    expect(await labelsOf(haft, "own.txt")).toBeUndefined();
    expect((await haft.call("Bash", { command: "cp got.txt copy.txt" })).error).toBeUndefined();
    expect((await haft.call("Grep", { pattern: "Obey", path: "." })).labels).toMatchObject(stranger);
  }
  await using later = await workspace.open({ tools: [Save], rules });
  for (const file of ["got.txt", "copy.txt"]) expect(await labelsOf(later, file)).toMatchObject(stranger);
  await later.call("Write", { file_path: "copy.txt", content: "mine\n" });
  expect(await labelsOf(later, "copy.txt")).toBeUndefined();
  const { spilled } = await later.call("Save", { url: `${server.origin}/long` });
  expect(await labelsOf(later, spilled?.path ?? "")).toMatchObject({
    integrity: "stranger",
    sources: [`${server.origin}/long`],
  });
});
