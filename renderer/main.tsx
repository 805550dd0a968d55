import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { loadPlotly } from './charts/plot/load-plotly';
import { createClient } from './client';
import { routeEvents } from './events';
import { theme } from './theme';
import { loadPages } from './views/page-on-demand';
import { createWorkbench, WorkbenchProvider } from './workbench';
import './zod-without-eval';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './styles/tokens.css';
import './styles/base.css';
import './styles/frame.css';
import './styles/pages.css';
import './styles/containers.css';
import './styles/deployments.css';
import './styles/environment.css';
import './styles/hosts.css';
import './styles/live.css';
import './styles/runs.css';
import './styles/compare.css';
import './styles/help.css';
import './styles/palette.css';
import './styles/monitor.css';
import './styles/settings.css';
import './styles/studies.css';
import './styles/wizard.css';
import './styles/wizard-fields.css';
import './styles/wizard-pages.css';
import './styles/wizard-start.css';
import './styles/types.css';

/** Milliseconds for the list of runs to be drawn and to take the first clicks. */
const listMs = 300;

const workbench = createWorkbench(createClient(window.workbench), window.localStorage);
routeEvents(workbench);
const { app, runs, presets, machine, docker, monitor, comparisons, settings } = workbench;
for (const resource of [settings, app, presets]) void resource.getState().load();
// One behind the other: the list of runs, what takes a process or a connection, the scripts of the other pages, and the
// largest one, that of the charts.
void runs
  .getState()
  .load()
  .then(() => new Promise((resolve) => setTimeout(resolve, listMs)))
  .then(() =>
    Promise.all([machine, docker, monitor, comparisons].map((resource) => resource.getState().load())),
  )
  .then(() => requestIdleCallback(() => void loadPages().then(loadPlotly)));

/** The content security policy lets in style elements that carry this page's own nonce. */
const styleNonce = document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? '';
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element "root"');
createRoot(root).render(
  <StrictMode>
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <Notifications position="bottom-right" limit={4} />
      <WorkbenchProvider value={workbench}>
        <App />
      </WorkbenchProvider>
    </MantineProvider>
  </StrictMode>,
);
