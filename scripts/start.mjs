import { appEnvironment, bootstrap, needs } from './lib/bootstrap.mjs';
import { foreground } from './lib/foreground.mjs';
import { repoRoot } from './lib/layout.mjs';
import { main } from './lib/main.mjs';
import { say } from './lib/say.mjs';
import { hasDisplay } from './lib/steps/debian.mjs';
import { startXvfb } from './lib/xvfb.mjs';

await main(async (args) => {
  const { home, layout } = await bootstrap(needs.run, {
    packages: ['window', 'display'],
    purpose: 'The window',
  });
  const env = appEnvironment(home);
  let display = null;
  if (!hasDisplay()) {
    display = await startXvfb();
    env.DISPLAY = display.display;
    say(
      `No display here: the window opens on the virtual display ${display.display} (Xvfb), which nobody sees.`,
    );
  }
  // Chromium refuses to run its sandbox as root.
  const flags = process.getuid() === 0 ? ['--no-sandbox'] : [];
  try {
    return await foreground(layout.electron, [...flags, repoRoot, ...args], { env });
  } finally {
    display?.stop();
  }
});
