/** @module Tasks that agents share. */
export { openTasks, type TaskStore } from "./store.ts";
