import type { WindowEvent } from '../main/contract/api';
import type { JournalEntry } from '../main/contract/run/run-events';
import type { Workbench } from './workbench';

const changesRow = new Set<JournalEntry['type']>([
  'run-created',
  'run-trusted',
  'run-started',
  'run-waiting',
  'annotation',
  'run-name',
  'p99-budget',
  'steps-forgotten',
  'measurement',
  'accuracy',
  'run-finished',
]);

function changesList(event: WindowEvent): boolean {
  return event.type === 'runs-changed' || (event.type === 'journal' && changesRow.has(event.entry.type));
}

const changesImages = (event: WindowEvent): boolean =>
  event.type === 'image-work' && event.work.status === 'done';

/** Returns how to stop. */
export function routeEvents(workbench: Workbench): () => void {
  const { client, deployments, studies, runs, images } = workbench;
  const { run, log, closing, docker, containerLog, imageWorks } = workbench;
  const { compared, monitor, dataSources, hubModel, pipelineChoice, tools, settings } = workbench;
  const hearing = [
    ...[run, log, closing, docker, containerLog, imageWorks],
    ...[compared, monitor, dataSources, hubModel, pipelineChoice, tools, settings],
  ];
  return client.on((events) => {
    for (const event of events) for (const store of hearing) store.getState().onEvent(event);
    if (events.some(changesList)) void runs.getState().load();
    if (events.some(({ type }) => type === 'deployments-changed')) void deployments.getState().load();
    if (events.some(({ type }) => type === 'study')) void studies.getState().load();
    if (events.some(changesImages)) void images.getState().load();
  });
}
