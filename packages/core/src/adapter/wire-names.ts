import { wireName } from "../tool/index.ts";

/** Tool names as a provider gets them, and back. */
export interface WireNames {
  /** A name that every provider accepts. The same tool always has the same one. */
  toWire(tool: string): string;
  /** Haft's name for what a model called. A name that was never handed out is returned as it is. */
  toTool(wire: string): string;
}

/** Remembers both directions, so that no two tools ever share a name on the wire. */
export function wireNames(): WireNames {
  const toWire = new Map<string, string>();
  const toTool = new Map<string, string>();
  return {
    toWire(tool) {
      const known = toWire.get(tool);
      if (known !== undefined) return known;
      // A hashed name could still be some other tool's real name; hashing once more with a number moves it away.
      let wire = wireName(tool);
      for (let turn = 2; toTool.has(wire); turn++) wire = wireName(`${tool} (${turn})`);
      toWire.set(tool, wire);
      toTool.set(wire, tool);
      return wire;
    },
    toTool: (wire) => toTool.get(wire) ?? wire,
  };
}
