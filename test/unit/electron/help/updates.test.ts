import { expect, it } from 'vitest';
import { createUpdates, feedOf } from '../../../../electron/help/updates';
import { settingDefinitions } from '../../../../main/contract/settings/settings';

interface Situation {
  readonly feed?: string | null;
  readonly newer?: string | null;
  readonly isFixed?: boolean;
  readonly isBusy?: boolean;
  readonly yesTo?: readonly string[];
  readonly failsAt?: 'open' | 'check' | 'download' | 'install';
}

/** Updates over an updater that only notes what is asked of it, in the place of electron-updater. */
function updatesOver(situation: Situation) {
  const { feed = 'https://updates.example.com', newer = null, yesTo = [], failsAt } = situation;
  const notes: string[] = [];
  const step = (name: 'open' | 'check' | 'download' | 'install'): void => {
    notes.push(name);
    if (name === failsAt) throw new Error(`cannot ${name}`);
  };
  const updates = createUpdates({
    feed: () => feed,
    version: '1.0.0',
    isFixed: situation.isFixed ?? false,
    isBusy: () => situation.isBusy ?? false,
    openUpdater: () =>
      Promise.resolve().then(() => {
        step('open');
        return {
          check: () =>
            Promise.resolve().then(() => {
              step('check');
              return newer;
            }),
          download: () =>
            Promise.resolve().then(() => {
              step('download');
            }),
          install: () => {
            step('install');
          },
        };
      }),
    ask: ({ agree }) => {
      notes.push(`ask: ${agree}`);
      return Promise.resolve(yesTo.includes(agree));
    },
    notify: ({ message }) => {
      notes.push(`notify: ${message}`);
      return Promise.resolve();
    },
    log: { add: (level, text) => void notes.push(`${level}: ${text}`) },
  });
  return { updates, notes };
}

const both = ['Download', 'Install and close'];

it.each([
  ['no feed is set', { feed: null, newer: '2.0.0', yesTo: both }],
  ['this build may not be replaced', { isFixed: true, newer: '2.0.0', yesTo: both }],
])('nothing is looked for at the start where %s, and by hand it is said', async (_name, situation) => {
  const { updates, notes } = updatesOver(situation);
  await updates.atStart();
  expect(notes).toEqual([]);
  await updates.byHand();
  expect(notes).toEqual([expect.stringMatching(/^notify: (?:Updates are off|This build is not updated)$/)]);
});

it('a start without a newer version says nothing, a check by hand does', async () => {
  const { updates, notes } = updatesOver({});
  await updates.atStart();
  expect(notes).toEqual(['open', 'check']);
  await updates.byHand();
  expect(notes.slice(2)).toEqual(['open', 'check', 'notify: No newer version']);
});

it('nothing is downloaded without a yes, and nothing installed without another', async () => {
  const refused = updatesOver({ newer: '2.0.0' });
  await refused.updates.atStart();
  expect(refused.notes).toEqual(['open', 'check', 'ask: Download']);
  const kept = updatesOver({ newer: '2.0.0', yesTo: ['Download'] });
  await kept.updates.atStart();
  expect(kept.notes).toContain('download');
  expect(kept.notes).not.toContain('install');
  const agreed = updatesOver({ newer: '2.0.0', yesTo: both });
  await agreed.updates.atStart();
  expect(agreed.notes.slice(-3)).toEqual([
    'ask: Install and close',
    'info: Update: installing 2.0.0',
    'install',
  ]);
});

it('nothing is installed while runs are in progress', async () => {
  const { updates, notes } = updatesOver({ newer: '2.0.0', yesTo: both, isBusy: true });
  await updates.byHand();
  expect(notes).toContain('notify: Version 2.0.0 is downloaded');
  expect(notes).not.toContain('install');
});

it.each(['open', 'check', 'download', 'install'] as const)(
  'a failure to %s is in the log, and is shown only to who asked',
  async (failsAt) => {
    const situation = { newer: '2.0.0', yesTo: both, failsAt };
    const started = updatesOver(situation);
    await started.updates.atStart();
    expect(started.notes.at(-1)).toBe(`warning: Update: cannot ${failsAt}`);
    const asked = updatesOver(situation);
    await asked.updates.byHand();
    expect(asked.notes.slice(-2)).toEqual([
      `warning: Update: cannot ${failsAt}`,
      'notify: The update failed',
    ]);
  },
);

it('two checks do not run at once', async () => {
  const { updates, notes } = updatesOver({});
  await Promise.all([updates.byHand(), updates.byHand()]);
  expect(notes.filter((note) => note === 'check')).toHaveLength(1);
});

it('the setting comes before the feed of the package, and turns it off', () => {
  expect(feedOf(null, null)).toBeNull();
  expect(feedOf(null, 'https://fork.example')).toBe('https://fork.example');
  expect(feedOf('https://mine.example', 'https://fork.example')).toBe('https://mine.example');
  expect(feedOf('off', 'https://fork.example')).toBeNull();
  expect(settingDefinitions['updates.feed'].schema.safeParse('off').success).toBe(true);
});

it('a feed is an https address without credentials; http only of this machine', () => {
  const { schema } = settingDefinitions['updates.feed'];
  const isTaken = (address: string): boolean => schema.safeParse(address).success;
  expect(['https://a.example', 'https://a.example:8443/b/', 'http://127.0.0.1:8080/x'].map(isTaken)).toEqual([
    true,
    true,
    true,
  ]);
  const refused = [
    'http://a.example',
    'http://127.0.0.1.example',
    'https://me:pw@a.example',
    'file:///x',
    'on',
    '',
  ];
  expect(refused.filter(isTaken)).toEqual([]);
});
