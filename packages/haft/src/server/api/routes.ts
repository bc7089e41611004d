import { agUiRoutes } from "../ag-ui/route.ts";
import type { ServerParts } from "../live/parts.ts";
import type { Route } from "../route/route.ts";
import { approvalRoutes } from "./routes/approvals.ts";
import { callRoutes } from "./routes/calls.ts";
import { heldRoutes } from "./routes/held.ts";
import { journalRoutes } from "./routes/journal.ts";
import { policyRoutes } from "./routes/policy.ts";
import { scheduleRoutes } from "./routes/schedules.ts";
import { sessionRoutes } from "./routes/sessions.ts";
import { settingsRoutes } from "./routes/settings.ts";
import { timelineRoutes } from "./routes/timeline.ts";
import { toolRoutes } from "./routes/tools.ts";
import { workerRoutes } from "./routes/workers.ts";

/** Every operation of the API. */
export const routesOf = (parts: ServerParts): readonly Route[] => [
  ...sessionRoutes(parts),
  ...callRoutes(parts),
  ...approvalRoutes(parts),
  ...timelineRoutes(parts),
  ...journalRoutes(parts),
  ...heldRoutes(parts),
  ...policyRoutes(parts),
  ...toolRoutes(parts),
  ...scheduleRoutes(parts),
  ...workerRoutes(parts),
  ...settingsRoutes(parts),
  ...agUiRoutes(parts),
];
