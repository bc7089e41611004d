/**
 * A story of a session on another machine, without a model: it edits a file and runs a command there, asks here, and takes
 * all of it back. It works in a new folder of the home folder there and removes it at the end.
 *
 *   node examples/remote/start.mjs ssh://dev@build [PATH-OF-NODE-THERE]
 */
import { createHaft } from "haft";
import { openSshHost } from "haft/remote";

const [address, node = "node"] = process.argv.slice(2);
if (!address?.startsWith("ssh://")) {
  console.error("Usage: node examples/remote/start.mjs ssh://user@host [PATH-OF-NODE-THERE]");
  process.exit(2);
}
const folder = `haft-remote-example-${process.pid}`;
const asked = [];
const ask = async ({ tool }) => {
  asked.push(tool);
  return { behavior: "allow" };
};
const textOf = ({ content }) => content.map((part) => part.text ?? "").join("\n");

/** A session in a folder there; the first one makes the folder for the second. */
async function session(address) {
  const remote = await openSshHost(address, { node });
  return createHaft({ ...remote.options, ask, stateDir: false });
}

await using home = await session(address);
await home.call("Bash", { command: `mkdir ${folder}` });
try {
  await using haft = await session(`${new URL(address).href.replace(/\/$/, "")}/~/${folder}`);
  await haft.call("Write", { file_path: "lanterns.txt", content: "one lantern\n" });
  const seen = textOf(
    await haft.call("Bash", { command: "hostname; sed -i 's/one/two/' lanterns.txt; cat lanterns.txt" }),
  );
  await haft.undo();
  const before = textOf(await haft.call("Read", { file_path: "lanterns.txt" }));
  await haft.undo();
  const { error } = await haft.call("Read", { file_path: "lanterns.txt" });
  const checks = {
    [`the command ran there: ${seen.split("\n")[0]}`]: seen.includes("two lantern"),
    "undo took back what the command changed": before.includes("one lantern"),
    "undo took back the file": error?.code === "file_not_found",
    [`questions were asked here (${asked.join(", ")})`]: asked.join() === "Bash,Write,Bash",
  };
  for (const [name, ok] of Object.entries(checks)) console.log(`${ok ? "✓" : "✗"} ${name}`);
  process.exitCode = Object.values(checks).every(Boolean) ? 0 : 1;
} finally {
  await home.call("Bash", { command: `rm -r ${folder}` });
}
