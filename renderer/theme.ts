import { createTheme, type MantineColorsTuple, Modal, ModalRoot } from '@mantine/core';

/** Shades around Okabe and Ito's blue, #0072b2, which carries white text in both schemes. */
const blue: MantineColorsTuple = [
  '#e6f3fb',
  '#cde5f5',
  '#9dcbea',
  '#76c4f1',
  '#4aa3d9',
  '#1f86c4',
  '#0072b2',
  '#00619a',
  '#005282',
  '#00426a',
];

/** Mantine's greys of the dark scheme, in the tone of the page's own. */
const dark: MantineColorsTuple = [
  '#e4e8ec',
  '#c3cbd4',
  '#a3adb8',
  '#86919c',
  '#4a535d',
  '#323941',
  '#22272d',
  '#1d2126',
  '#16191d',
  '#111417',
];

const dialog = {
  lockScroll: false,
  transitionProps: { duration: 0 },
  styles: { title: { fontSize: 'var(--type-title)', fontWeight: 'var(--weight-strong)' } },
} as const;

export const theme = createTheme({
  primaryColor: 'workbench',
  primaryShade: 6,
  colors: { workbench: blue, dark },
  fontFamily: "'Inter', 'Helvetica Neue', 'Liberation Sans', Arial, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono', 'DejaVu Sans Mono', 'Liberation Mono', monospace",
  // Those of styles/tokens.css.
  fontSizes: {
    xs: 'var(--type-small)',
    sm: 'var(--type-body)',
    md: 'var(--type-body)',
    lg: 'var(--type-title)',
    xl: 'var(--type-title)',
  },
  fontWeights: {
    regular: 'var(--weight-plain)',
    medium: 'var(--weight-strong)',
    bold: 'var(--weight-strong)',
  },
  defaultRadius: 'sm',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    Modal: Modal.extend({ defaultProps: { ...dialog, closeButtonProps: { 'aria-label': 'Close' } } }),
    ModalRoot: ModalRoot.extend({ defaultProps: dialog }),
  },
});
