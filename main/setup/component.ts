import type { ComponentId } from '../contract/setup';
import type { HomeLayout } from '../platform/layout';
import type { SetupListener } from './installer';
import type { Uv } from './uv';

export interface SetupContext {
  readonly layout: HomeLayout;
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  /** Log of installer output; null: none. */
  readonly log: string | null;
  /** Prepared on first use. */
  readonly uv: () => Promise<Uv>;
}

export interface Component {
  readonly id: ComponentId;
  readonly folder: (layout: HomeLayout) => string;
  /** Required files. */
  readonly files: (layout: HomeLayout) => readonly string[];
  /** Hash of what would be installed now; null without its sources. */
  readonly stamp: (context: Pick<SetupContext, 'layout' | 'resources'>) => Promise<string | null>;
  /** Installed version; null if unknown. */
  readonly version: (folder: string) => Promise<string | null>;
  /** Differences from the current version in words; empty if only sources changed. */
  readonly differences: (context: Pick<SetupContext, 'layout' | 'resources'>) => Promise<readonly string[]>;
  /** Installs into `fresh`, a new folder beside the final one. */
  readonly make: (fresh: string, context: SetupContext, listener: SetupListener) => Promise<void>;
}
