import { resolve } from 'node:path';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { bundledPackages } from './scripts/lib/package/bundled-packages';
import { writePrebuiltHelp } from './scripts/lib/package/write-prebuilt-help';
import { writePrebuiltPresets } from './scripts/lib/package/write-prebuilt-presets';

const here = (...parts: string[]) => resolve(import.meta.dirname, ...parts);
const listed = (part: string) => bundledPackages(here('out', 'bundled', `${part}.json`));

/** ASCII only: V8 reads and keeps such files as bytes, which halves the time that a command takes to load them. */
const ascii = {
  name: 'ascii',
  // The bundler writes what `renderChunk` returns in its own way again.
  generateBundle(_options: unknown, bundle: Record<string, { readonly type: string; code?: string }>) {
    for (const file of Object.values(bundle)) {
      if (file.type !== 'chunk' || file.code === undefined) continue;
      file.code = file.code.replace(
        /[\u0080-\uffff]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    }
  },
};

/** Commander loads it to start subcommands that are programs, of which there are none here: six percent of a short command. */
const withoutPrograms = {
  name: 'without-programs',
  transform: (code: string, id: string) =>
    id.endsWith('/commander/lib/command.js') ? code.replace("require('node:child_process')", '{}') : null,
};

/** Bundles for Node 18: Electron's oldest runtime that we drive has it, and no ESM main process. */
export default defineConfig({
  main: {
    plugins: [
      listed('main'),
      ascii,
      withoutPrograms,
      writePrebuiltPresets(here('resources')),
      writePrebuiltHelp(),
    ],
    build: {
      outDir: 'out/main',
      target: 'node18',
      externalizeDeps: false,
      reportCompressedSize: false,
      rolldownOptions: {
        external: ['electron', /\.node$/],
        input: {
          main: here('electron/main.ts'),
          cli: here('main/cli/cli.ts'),
          'load-worker': here('main/perf/native/generator/load-worker.ts'),
          'load-process': here('main/perf/load-process.ts'),
          'reader-process': here('main/core/reader-process.ts'),
        },
        output: { format: 'cjs', entryFileNames: '[name].cjs', chunkFileNames: '[name]-[hash].cjs' },
      },
    },
  },
  preload: {
    plugins: [listed('preload')],
    build: {
      outDir: 'out/preload',
      target: 'node18',
      externalizeDeps: false,
      rolldownOptions: {
        external: ['electron'],
        input: { preload: here('electron/preload.ts') },
        output: { format: 'cjs', entryFileNames: '[name].cjs' },
      },
    },
  },
  renderer: {
    root: here('renderer'),
    base: './',
    define: { global: 'globalThis' },
    build: {
      minify: 'oxc',
      chunkSizeWarningLimit: 4000,
      outDir: here('out/renderer'),
      emptyOutDir: true,
      target: 'chrome114',
      rolldownOptions: { input: { index: here('renderer/index.html') } },
    },
    plugins: [react(), listed('renderer')],
  },
});
