/**
 * Runs in the page: from the arrival of events to the paint of the chart that shows them, milliseconds. The chart is
 * drawn with the last of what has come whenever its picture changes; the frame after that is on the screen.
 */
export function installPaintProbe(id = 'windows'): void {
  const chart = document.querySelector(`[data-chart="${id}"] .plot`);
  if (chart === null) throw new Error(`The page shows no chart ${id}`);
  const latenciesMs: number[] = [];
  let waiting: number[] = [];
  const bridge = (window as unknown as { workbench: { on: (listener: () => void) => void } }).workbench;
  bridge.on(() => {
    waiting.push(performance.now());
  });
  new MutationObserver(() => {
    const drawn = waiting;
    waiting = [];
    requestAnimationFrame(() => {
      // A task after the frame's own work runs when the frame has been handed on.
      setTimeout(() => {
        const now = performance.now();
        for (const arrivedMs of drawn) latenciesMs.push(now - arrivedMs);
      });
    });
  }).observe(chart, { subtree: true, childList: true, attributes: true });
  Object.assign(window, { paintLatenciesMs: latenciesMs });
}
