import type { WorkUnderWay } from '../../main/contract/api';

/** "a, b and c". */
const listing = new Intl.ListFormat('en-GB');

export function closingText({ runIds, images, fetches, tools, deployments, studies }: WorkUnderWay): string {
  const works = [
    ...(runIds.length === 0 ? [] : [runIds.length === 1 ? 'a run' : `${runIds.length} runs`]),
    ...images.map(({ kind, image }) => `the ${kind} of ${image}`),
    ...fetches.map((title) => `the download of ${title}`),
    ...(tools.length === 0 ? [] : [`the set-up of ${tools.join(', ')}`]),
    ...deployments.map((name) => `the change of the deployment ${name}`),
    ...studies.map((name) => `the study ${name}`),
  ];
  const list = listing.format(works);
  const consequences = [
    [runIds, 'Measured levels are kept, and Resume continues from there.'],
    [images, 'Start the image again on the Images page.'],
    [fetches, 'Downloaded data is kept.'],
    [tools, 'Install the tools again on the Environment page; downloaded packages are kept.'],
    [
      deployments,
      'What serves continues to serve; a new deployment or version that is not ready is removed.',
    ],
    [
      studies,
      'No further run of the study begins; jobs that a cluster works on continue. Resume it on the Studies page.',
    ],
  ] as const;
  const one = works.length === 1 && runIds.length <= 1;
  return [
    `${list.charAt(0).toUpperCase()}${list.slice(1)} ${one ? 'is' : 'are'} in progress. Closing stops ${one ? 'it' : 'them'}.`,
    ...consequences.filter(([stopped]) => stopped.length > 0).map(([, text]) => text),
  ].join(' ');
}
