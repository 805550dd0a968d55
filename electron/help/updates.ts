import type { ApplicationLog } from '../../main/home/application-log';

export interface Updater {
  /** null: the feed offers nothing newer. */
  readonly check: () => Promise<string | null>;
  readonly download: () => Promise<void>;
  /** Installs what was downloaded and ends the app. Throws where it cannot. */
  readonly install: () => void;
}

export interface UpdateNotice {
  readonly message: string;
  readonly detail: string;
}

/** @param setting null: not set. @param publisher the feed that the package names, if any */
export const feedOf = (setting: string | null, publisher: string | null): string | null =>
  setting === 'off' ? null : (setting ?? publisher);

interface UpdateParts {
  /** Address of the feed; null: there is none, and nothing is looked for. */
  readonly feed: () => string | null;
  readonly version: string;
  /** A build that may not take another one's place: a clone, a package for tests. */
  readonly isFixed: boolean;
  readonly openUpdater: (feed: string) => Promise<Updater>;
  /** Whether runs or downloads are under way, which an installation would end. */
  readonly isBusy: () => boolean;
  /** Asks over the window; Enter and Escape refuse. */
  readonly ask: (question: UpdateNotice & { readonly agree: string }) => Promise<boolean>;
  readonly notify: (notice: UpdateNotice) => Promise<void>;
  readonly log: Pick<ApplicationLog, 'add'>;
}

/** Updates from the feed of the settings: looked for at the start and when asked for, brought only after a yes. */
export interface Updates {
  readonly atStart: () => Promise<void>;
  readonly byHand: () => Promise<void>;
}

const notBuilt = {
  message: 'This build is not updated',
  detail: 'A clone is updated with git, and a package for tests is replaced by hand.',
};
const notSet = {
  message: 'Updates are off',
  detail:
    'Set the address of an update feed in Settings, Updates: this package names none, or it is set to off.',
};

/** Failures go to the application log; only a check that was asked for reports them. */
export function createUpdates(parts: UpdateParts): Updates {
  const { version, log, ask, notify } = parts;
  let running = false;

  const offer = async (updater: Updater, newer: string): Promise<void> => {
    const isWanted = await ask({
      message: `Download version ${newer}?`,
      detail: `This is version ${version}. The update feed of the settings offers a newer one.`,
      agree: 'Download',
    });
    if (!isWanted) return;
    log.add('info', `Update: downloading ${newer}`);
    await updater.download();
    if (parts.isBusy()) {
      await notify({
        message: `Version ${newer} is downloaded`,
        detail: 'Runs or downloads are in progress. Choose Help, Check for updates when they have ended.',
      });
      return;
    }
    const isAgreed = await ask({
      message: `Install version ${newer} now?`,
      detail: 'The workbench closes. The installation of a deb asks for an administrator’s password.',
      agree: 'Install and close',
    });
    if (!isAgreed) return;
    log.add('info', `Update: installing ${newer}`);
    updater.install();
  };

  const checkFeed = async (feed: string, isAsked: boolean): Promise<void> => {
    const updater = await parts.openUpdater(feed);
    const newer = await updater.check();
    if (newer !== null) await offer(updater, newer);
    else if (isAsked) await notify({ message: 'No newer version', detail: `This is version ${version}.` });
  };

  const attempt = async (feed: string, isAsked: boolean): Promise<void> => {
    if (running) return;
    running = true;
    try {
      await checkFeed(feed, isAsked);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      log.add('warning', `Update: ${reason}`);
      if (isAsked) await notify({ message: 'The update failed', detail: reason.slice(0, 1000) });
    } finally {
      running = false;
    }
  };

  return {
    atStart: async () => {
      const feed = parts.feed();
      if (!parts.isFixed && feed !== null) await attempt(feed, false);
    },
    byHand: async () => {
      const feed = parts.feed();
      if (parts.isFixed) await notify(notBuilt);
      else if (feed === null) await notify(notSet);
      else await attempt(feed, true);
    },
  };
}
