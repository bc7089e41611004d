import { Readable, Writable } from "node:stream";
import { ndJsonStream } from "@agentclientprotocol/sdk";
import { serveAcp } from "../../../acp/index.ts";
import { quietSdk } from "../../../session/index.ts";
import type { Command } from "../../command.ts";
import { EXIT } from "../../exit-code.ts";
import { haftOptions } from "../../open-haft.ts";
import { readOptions } from "../../options.ts";
import { packageVersion } from "../../version.ts";
import { wishedModel } from "./model-choice.ts";

/** `haft acp`: serve the agent to editors over the Agent Client Protocol (stdio). */
export const acp: Command = async (args) => {
  const { common, own } = readOptions(args, { model: "string", "max-turns": "string" }, 0);
  const model = wishedModel(own);
  const { cwd: _cwd, session: _session, ask: _ask, ...options } = await haftOptions(common);
  quietSdk();
  const output = Writable.toWeb(process.stdout);
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  const connection = serveAcp(ndJsonStream(output, input), {
    version: await packageVersion(),
    session: { ...options, ...(model === undefined ? {} : { model }) },
  });
  await connection.closed.catch(() => {});
  return EXIT.ok;
};
