import { fail, type Ports, type Tasks, type Worktrees } from "@haft/core/tool";
import type { RunHooks } from "@haft/plugins/hook";

/** The ports of a session, with the hooks of their events: tasks and worktrees. */
export const hookedPorts = (ports: Partial<Ports>, runHooks: RunHooks): Partial<Ports> => ({
  ...ports,
  ...(ports.tasks ? { tasks: hookedTasks(ports.tasks, runHooks) } : {}),
  ...(ports.worktrees ? { worktrees: hookedWorktrees(ports.worktrees, runHooks) } : {}),
});

/** A hook may refuse a new task, or the completion of one. The error says why. */
export const hookedTasks = (tasks: Tasks, runHooks: RunHooks): Tasks => ({
  ...tasks,
  async create(draft) {
    const task = await tasks.create(draft);
    const { blocked, stop } = await runHooks("TaskCreated", {
      ...{ task_id: task.id, task_subject: task.subject, task_description: task.description },
    });
    const why = stop ?? blocked;
    if (why === undefined) return task;
    await tasks.update(task.id, { status: "deleted" });
    return fail("denied_by_hook", `A hook rejected the task: ${why}`, "Change the task as the hook requires.");
  },
  async update(id, change, by) {
    if (change.status === "completed") {
      const { subject, description } = await tasks.get(id);
      const { blocked, stop } = await runHooks("TaskCompleted", {
        ...{ task_id: id, task_subject: subject, task_description: description },
        ...(by === undefined ? {} : { teammate_name: by }),
      });
      const why = stop ?? blocked;
      if (why !== undefined)
        fail("denied_by_hook", `A hook does not let the task ${id} be completed: ${why}`, "Do the missing work first.");
    }
    return tasks.update(id, change, by);
  },
});

const hookedWorktrees = (worktrees: Worktrees, runHooks: RunHooks): Worktrees => ({
  current: () => worktrees.current(),
  async enter(name) {
    const made = await worktrees.enter(name);
    await runHooks("WorktreeCreate", { name: made.name, worktree_path: made.path, branch: made.branch });
    await runHooks("CwdChanged", { new_cwd: made.path });
    return made;
  },
  async leave(how) {
    const left = await worktrees.leave(how);
    if (how.remove) await runHooks("WorktreeRemove", { worktree_path: left.path });
    await runHooks("CwdChanged", { old_cwd: left.path });
    return left;
  },
});
