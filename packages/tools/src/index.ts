/** @module The built-in tools. Other doors of the package lead to the parts that sessions and plugins use. */
export { type Builtin, builtins, builtinTools } from "./builtin/index.ts";
