// Runs before the first paint, so that a dark page never flashes white.
(() => {
  const chosen = localStorage.getItem('spur.theme');
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
