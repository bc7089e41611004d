/** @module The contract of a tool and the machine that runs it. */
export * from "./approval/index.ts";
export * from "./budget/index.ts";
export * from "./executor/index.ts";
export * from "./hook/index.ts";
export * from "./policy/index.ts";
export * from "./registry/index.ts";
export * from "./schema/index.ts";
export * from "./tool/index.ts";
