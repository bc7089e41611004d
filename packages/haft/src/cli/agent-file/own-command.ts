/** This program, by the path of its start file: other agents have their own PATH. */
export const ownCommand = (): readonly [program: string, script: string] => [
  process.execPath,
  process.argv[1] ?? "haft",
];
