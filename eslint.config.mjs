import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import importSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules', 'out', 'dist', 'coverage', 'test-results', 'playwright-report'] },
  js.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx', '**/*.mjs'],
    plugins: { 'import-sort': importSort },
    // In one block: what comes with Node, packages, what is above, what is beside.
    rules: {
      'import-sort/imports': ['error', { groups: [['^node:', '^@?\\w', '^\\.\\./', '^\\./', '^\\u0000']] }],
    },
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'max-lines': ['error', { max: 400 }],
      'no-duplicate-imports': ['error', { allowSeparateTypeImports: true }],
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['main/**/*.ts', 'electron/**/*.ts'],
    ignores: ['main/platform/files.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        ...['node:fs', 'node:fs/promises'].map((name) => ({
          name,
          importNames: ['mkdir', 'mkdirSync'],
          message: 'Use makeFolder of main/platform/files: recursive mkdir never ends below /proc.',
        })),
      ],
    },
  },
  {
    files: ['main/**/*.ts', 'electron/**/*.ts', 'renderer/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.object.name='Math'][callee.property.name=/^(max|min)$/] > SpreadElement",
          message: 'Use largestOf or smallestOf of main/contract/extremes: a long list overflows the stack.',
        },
      ],
    },
  },
  {
    files: ['main/**/*.ts'],
    rules: {
      complexity: ['error', 15],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  { files: ['renderer/**/*.{ts,tsx}'], extends: [reactHooks.configs.flat.recommended] },
  {
    files: ['electron/**/*.ts', 'renderer/**/*.{ts,tsx}', 'scripts/**/*.{mjs,ts}'],
    rules: {
      complexity: ['error', 15],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['scripts/**/*.mjs', '*.mjs', '*.cjs'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'process',
          'console',
          'URL',
          'fetch',
          'setTimeout',
          'clearTimeout',
          'setInterval',
          'clearInterval',
          'Buffer',
          'AbortSignal',
          'AbortController',
          'module',
          'performance',
        ].map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'max-lines': ['error', { max: 400 }], eqeqeq: 'error' },
  },
);
