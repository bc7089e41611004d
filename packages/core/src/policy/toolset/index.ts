/** Which tools exist: their names, groups and profiles, and the one function that decides. */
export * from "./availability.ts";
export * from "./facts.ts";
export * from "./gates.ts";
export * from "./groups.ts";
export * from "./names.ts";
export * from "./profile.ts";
