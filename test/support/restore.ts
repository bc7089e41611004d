// After each file: the environment and the folder of the process, which the next file of the same worker inherits.
import { afterAll } from "vitest";

const env = { ...process.env };
const cwd = process.cwd();

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  if (process.cwd() !== cwd) process.chdir(cwd);
});
