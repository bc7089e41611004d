/** @module The built-in tools, and the parts of them that a session drives itself. */
export { builtins, builtinTools } from "./builtin/index.ts";
export { diffDisplay } from "./builtin/support/diff.ts";
export { type DelegatedSkill, delegateTask } from "./builtin/support/session/delegation.ts";
export { commandsIn, expandSkill, filesIn } from "./builtin/support/skill/expand.ts";
export { skillTool } from "./builtin/support/skill/offer.ts";
