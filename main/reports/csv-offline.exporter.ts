import type { Exporter } from './exporter';
import { loadCsv } from './load-csv';

export const csvOffline: Exporter = {
  id: 'csv-offline',
  render: ({ report }) => ({
    fileName: 'offline.csv',
    content: report.scenarios
      .filter(({ id }) => id === 'offline')
      .map((scenario) => loadCsv(scenario, report.verification))
      .join(''),
  }),
};
