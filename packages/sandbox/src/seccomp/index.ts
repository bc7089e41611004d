/** @module The system calls that a confined program may make. */
export { type FilterOptions, type Machine, seccompFilter } from "./filter.ts";
export { createFilterSupply, type FilterSupply } from "./supply.ts";
