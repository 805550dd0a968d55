/**
 * Runs jobs in four lanes: two of `whole`, which start servers for whole models, and two of `light` beside them. A lane whose
 * queue is empty takes of the other. A queue is worked off in its order, except that a job waits until the one named by its
 * `after` has ended.
 * @param {{whole: {name: string, after?: string}[], light: {name: string, after?: string}[]}} queues
 * @param {(job: object) => Promise<void>} run one job; not called any more once `isStopped` says so
 */
export async function runLanes(queues, run, isStopped = () => false) {
  const [whole, light] = [[...queues.whole], [...queues.light]];
  const running = new Map();
  const isPending = (name) => running.has(name) || [...whole, ...light].some((job) => job.name === name);
  const take = (queue) => {
    const at = queue.findIndex(({ after }) => after === undefined || !isPending(after));
    return at < 0 ? undefined : queue.splice(at, 1)[0];
  };
  const lane = async (...from) => {
    while (!isStopped() && from.some((queue) => queue.length > 0)) {
      const job = from.reduce((found, queue) => found ?? take(queue), undefined);
      if (job === undefined) {
        // Each of those that are left waits for one that runs.
        await Promise.race(running.values());
        continue;
      }
      const ended = run(job);
      running.set(job.name, ended);
      try {
        await ended;
      } finally {
        running.delete(job.name);
      }
    }
  };
  const lanes = [
    [whole, light],
    [whole, light],
    [light, whole],
    [light, whole],
  ];
  await Promise.all(lanes.map((queues) => lane(...queues)));
}
