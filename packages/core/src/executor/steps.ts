import type { CallRun, Stage } from "./call-run.ts";

/**
 * Stages in an order that fits: each takes the call with everything that the stages before it have found out. The
 * compiler refuses a stage that needs more.
 */
export class Steps<In extends CallRun, Out extends In> {
  /** The stages, without what each needs: their order has been checked. */
  readonly stages: readonly Stage[];

  private constructor(stages: readonly Stage[]) {
    this.stages = stages;
  }

  static from<Run extends CallRun>(): Steps<Run, Run> {
    return new Steps([]);
  }

  add(stage: Stage<Out>): Steps<In, Out>;
  add<Next extends Out>(stage: Stage<Out, Next>): Steps<In, Next>;
  add(stage: (callRun: never) => unknown): unknown {
    return new Steps([...this.stages, stage as Stage]);
  }

  addAll<Next extends Out>(steps: Steps<Out, Next>): Steps<In, Next> {
    return new Steps([...this.stages, ...steps.stages]);
  }

  /** The place of a stage. */
  placeOf(stage: (callRun: never) => unknown): number {
    return this.stages.indexOf(stage as Stage);
  }
}
