import type { HubPlace } from '../../contract/own/model-record';

/** The hub's cache names folders by model and commit: "models--ORG--NAME/snapshots/COMMIT". null for any other folder. */
export function hubPlaceOf(folder: string): HubPlace | null {
  const [, name, revision] = /(?:^|\/)models--([^/]+)\/snapshots\/([^/]+)\/?$/.exec(folder) ?? [];
  return name === undefined || revision === undefined ? null : { id: name.replace('--', '/'), revision };
}
