import './site.css';

// Fonts of the system: the site loads nothing from elsewhere.
export { default } from 'vitepress/theme-without-fonts';
