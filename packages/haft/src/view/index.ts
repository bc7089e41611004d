export type { JobView, ViewEvent } from "./event.ts";
export { foldEvent, viewOfMessages } from "./fold.ts";
export { type GroupRow, groupRows, type ShownRow } from "./group.ts";
export { callsByMessage } from "./recorded.ts";
export * from "./row.ts";
export { parentCallOf } from "./rows.ts";
export { type AgentView, emptyView, type SessionView, type UsageView } from "./session-view.ts";
