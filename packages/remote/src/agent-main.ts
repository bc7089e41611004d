// The program that Haft starts on a remote machine.
import { serveAgent } from "./agent.ts";

await serveAgent();
