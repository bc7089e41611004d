import { wireName } from "../tool/index.ts";

/** Maps tool names to provider names, and back. */
export interface WireNames {
  /** A name that every provider accepts. The same tool always has the same one. */
  toWire(tool: string): string;
  /** Haft's name for a tool that a model called. An unknown name is returned unchanged. */
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
      // A hashed name could still be another tool's real name; hashing once more with a number avoids it.
      let wire = wireName(tool);
      for (let turn = 2; toTool.has(wire); turn++) wire = wireName(`${tool} (${turn})`);
      toWire.set(tool, wire);
      toTool.set(wire, tool);
      return wire;
    },
    toTool: (wire) => toTool.get(wire) ?? wire,
  };
}
