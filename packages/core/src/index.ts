/**
 * @module The contract of a tool and the machine that runs it: what you need to write tools, to decide about calls and to
 * run them. Everything else (settings, suggestions, deferred tools, adapters, tools of other shapes) is in the package's
 * other entries, one per folder.
 */
export type { Answer, ApprovalRequest, Asker, Broker, BrokerOptions, NamedAsker } from "./approval/index.ts";
export { createBroker } from "./approval/index.ts";
export * from "./executor/index.ts";
export type { Hook } from "./hook/index.ts";
export type { Decision, Mode, Policy, PolicyOptions, RuleSource, Workspace } from "./policy/index.ts";
export { createPolicy } from "./policy/index.ts";
export type { Entry, Offer, Offered, Offers, Registry, Source } from "./registry/index.ts";
export { createOffers, createRegistry } from "./registry/index.ts";
export type { Infer, JsonSchema, Schema, SchemaLike } from "./schema/index.ts";
export { asPath, lazySchema, SchemaError, toSchema } from "./schema/index.ts";
export * from "./tool/index.ts";
