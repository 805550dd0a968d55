import type { ComponentId } from '../contract/setup';
import type { HomeLayout } from '../platform/layout';
import type { SetupListener } from './installer';
import type { Uv } from './uv';

/** What the components are made with. */
export interface SetupContext {
  readonly layout: HomeLayout;
  /** `resources` of the product. */
  readonly resources: string;
  readonly env: NodeJS.ProcessEnv;
  /** File that gets everything the installers print; null: nothing is kept. */
  readonly log: string | null;
  /** Made ready when it is first asked for. */
  readonly uv: () => Promise<Uv>;
}

export interface Component {
  readonly id: ComponentId;
  /** Its folder in the home. */
  readonly folder: (layout: HomeLayout) => string;
  /** Files without which it does not work. */
  readonly files: (layout: HomeLayout) => readonly string[];
  /** The stamp of what would be made now; null where what it is made from is not there. */
  readonly stamp: (context: Pick<SetupContext, 'layout' | 'resources'>) => Promise<string | null>;
  /** Of what is installed, by itself; null where it does not say. */
  readonly version: (folder: string) => Promise<string | null>;
  /** What of it is other than what would be made now, in words; empty where it is what it was made from that changed. */
  readonly differences: (context: Pick<SetupContext, 'layout' | 'resources'>) => Promise<readonly string[]>;
  /** Makes it in `fresh`, a new folder beside its place; the rest is done by the set-up. */
  readonly make: (fresh: string, context: SetupContext, listener: SetupListener) => Promise<void>;
}
