console.log(`Usage: haft <command>

Options:
  -v, --version  print the version`);

export {};
