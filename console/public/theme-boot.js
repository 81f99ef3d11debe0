// Before the first paint, so that no theme flashes: a file of its own because the page allows no inline script.
(() => {
  let choice = 'system';
  try {
    choice = JSON.parse(localStorage.getItem('evenkeel.preferences') || '{}').theme || 'system';
  } catch {
    choice = 'system';
  }
  const dark = choice === 'dark' || (choice === 'system' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
