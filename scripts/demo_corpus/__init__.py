"""An English-German grammar small enough to read and large enough to train a translator on."""
