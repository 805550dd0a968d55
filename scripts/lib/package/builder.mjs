import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command } from '../command.mjs';
import { SetupError } from '../say.mjs';
import { openUp } from './modes.mjs';

/** The first Electron that has the fuse for rights of file: pages. */
const fileFuseSince = 29;

/** electron-builder.yml with what it cannot know: the runtime, and what marks a package for tests. Pure. */
export function builderConfig(base, { runtime, electron, identity, homepage = null }) {
  const { grantFileProtocolExtraPrivileges, ...fuses } = base.electronFuses;
  return {
    ...base,
    electronDist: runtime,
    electronVersion: electron,
    extraMetadata: {
      ...base.extraMetadata,
      name: identity.name,
      version: identity.version,
      ...(homepage === null ? {} : { homepage }),
    },
    electronFuses: {
      ...fuses,
      ...(Number.parseInt(electron, 10) < fileFuseSince ? {} : { grantFileProtocolExtraPrivileges }),
      // Playwright drives a window through Node's inspector.
      enableNodeCliInspectArguments: identity.test,
    },
  };
}

async function electronBuilder(args, { root, build, log, epoch }, options) {
  const { parse } = await import('yaml');
  const base = parse(readFileSync(join(root, 'electron-builder.yml'), 'utf8'));
  const file = join(build, 'electron-builder.json');
  writeFileSync(file, JSON.stringify(builderConfig(base, options), null, 2));
  const cli = join(root, 'node_modules', 'electron-builder', 'cli.js');
  return command(process.execPath, [cli, '--publish', 'never', '--config', file, ...args], {
    cwd: root,
    env: { ...process.env, NO_COLOR: '1', SOURCE_DATE_EPOCH: String(epoch) },
    log,
    name: 'electron-builder',
  });
}

/** Makes the folder with runtime and app. @returns {Promise<string>} where it is */
export async function makeFolder(places, options) {
  const { out, log } = places;
  const app = join(out, process.arch === 'x64' ? 'linux-unpacked' : `linux-${process.arch}-unpacked`);
  rmSync(app, { recursive: true, force: true });
  const made = await electronBuilder(['--linux', 'dir'], places, options);
  if (made.code !== 0) throw new SetupError(`electron-builder failed (log: ${log}):\n${made.output}`);
  openUp(app);
  return app;
}

/** A source that does not answer by then is not waited for. */
const answersWithinMs = 10_000;
const toolsHost = 'https://github.com';

/** @returns {Promise<string | null>} what keeps electron-builder from its AppImage tools */
async function toolsProblem(env) {
  // A folder of them, for electron-builder: nothing is downloaded.
  if (env.APPIMAGE_TOOLS_PATH) return null;
  try {
    await fetch(toolsHost, { method: 'HEAD', signal: AbortSignal.timeout(answersWithinMs) });
    return null;
  } catch (error) {
    return error.cause?.code ?? error.name;
  }
}

/**
 * Makes the AppImage of the folder `app`; electron-builder downloads the tools for it.
 * @param {{identity: {name: string, version: string}, asked: boolean}} options with those of `makeFolder`; asked: for
 *   an AppImage by name, so that its absence is a failure
 * @returns {Promise<{file: string} | {problem: string}>}
 */
export async function makeAppImage(places, app, options, env = process.env) {
  const reason = await toolsProblem(env);
  if (reason !== null) {
    const problem = `No AppImage was made: its tools come from ${toolsHost}, which cannot be reached here (${reason}).`;
    if (!options.asked) return { problem };
    throw new SetupError(
      `${problem} Run the command where it can be reached, or set APPIMAGE_TOOLS_PATH to a folder with the tools.`,
    );
  }
  const { identity } = options;
  const made = await electronBuilder(['--linux', 'AppImage', '--prepackaged', app], places, options);
  if (made.code !== 0) throw new SetupError(`electron-builder failed (log: ${places.log}):\n${made.output}`);
  const arch = process.arch === 'x64' ? 'x86_64' : process.arch;
  return { file: join(places.out, `${identity.name}_${identity.version}_${arch}.AppImage`) };
}
