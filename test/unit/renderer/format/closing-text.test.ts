import { describe, expect, it } from 'vitest';
import { closingText } from '../../../../renderer/format/closing-text';

const nothing = { runIds: [], images: [], fetches: [], tools: [], deployments: [], studies: [] };

describe('the question before closing', () => {
  it('names one run as one', () => {
    expect(closingText({ ...nothing, runIds: ['a'] })).toBe(
      'A run is in progress. Closing stops it. Measured levels are kept, and Resume continues from there.',
    );
  });

  it('counts runs', () => {
    expect(closingText({ ...nothing, runIds: ['a', 'b'] })).toMatch(
      /^2 runs are in progress\. Closing stops them\./,
    );
  });

  it('names images and fetches, and says nothing of runs where there are none', () => {
    const text = closingText({
      ...nothing,
      images: [
        { kind: 'pull', image: 'example/server:1' },
        { kind: 'build', image: 'example/client:2' },
      ],
      fetches: ['ImageNet'],
    });
    expect(text).toMatch(
      /^The pull of example\/server:1, the build of example\/client:2 and the download of ImageNet are in progress\./,
    );
    expect(text).not.toContain('Resume');
  });

  it('names the deployments that are being changed', () => {
    expect(closingText({ ...nothing, deployments: ['vision'] })).toBe(
      'The change of the deployment vision is in progress. Closing stops it. What serves continues to serve; a new deployment or version that is not ready is removed.',
    );
  });

  it('names a study with its run, and what continues it', () => {
    expect(closingText({ ...nothing, runIds: ['a'], studies: ['night'] })).toBe(
      'A run and the study night are in progress. Closing stops them. Measured levels are kept, and Resume continues from there. No further run of the study begins; jobs that a cluster works on continue. Resume it on the Studies page.',
    );
  });

  it('names the tools that are being set up', () => {
    expect(closingText({ ...nothing, tools: ['Python environment'] })).toBe(
      'The set-up of Python environment is in progress. Closing stops it. Install the tools again on the Environment page; downloaded packages are kept.',
    );
  });
});
