import type { Answer } from "@haft/core/approval";
import { z } from "zod";
import type { ServerParts } from "../../live/parts.ts";
import { Problem } from "../../route/problem.ts";
import { type Route, route } from "../../route/route.ts";
import { json } from "../shapes.ts";

const receipt = z.object({ accepted: z.boolean(), reason: z.string().optional(), message: z.string().optional() });

/** The questions of all sessions, and their answers. */
export const approvalRoutes = ({ inbox }: ServerParts): Route[] => [
  route({
    method: "get",
    path: "/api/approvals",
    summary: "Every question that waits, of all sessions",
    answer: z.object({ approvals: z.array(json) }),
    run: () => ({ approvals: inbox.list() }),
  }),
  route({
    method: "post",
    path: "/api/approvals/{request}/answer",
    summary: "Answer a question. The first valid answer counts; `digest` binds it to what was shown",
    params: z.object({ request: z.string() }),
    body: z.object({ answer: json, digest: z.string().optional() }),
    answer: receipt,
    run({ params, body, client }) {
      const given = inbox.answer({ id: params.request, answer: body.answer, digest: body.digest }, client);
      if (given.accepted) return given;
      const status = given.reason === "unknown_request" ? 404 : given.reason === "already_settled" ? 409 : 400;
      throw new Problem(status, given.reason, given.message);
    },
  }),
  route({
    method: "post",
    path: "/api/approvals/answer",
    summary: "Give one answer to several questions that ask for the same effects",
    body: z.object({
      requests: z
        .array(z.object({ id: z.string(), digest: z.string() }))
        .min(1)
        .max(200),
      answer: json,
    }),
    answer: z.object({ receipts: z.array(receipt) }),
    run({ body, client }) {
      const given = body.requests.map((one) => ({ ...one, answer: body.answer }));
      return { receipts: inbox.answerAll(given, body.answer as Answer, client) };
    },
  }),
];
