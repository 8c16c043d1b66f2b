"""Human studies: from one file to ratings that cannot be lost, doubled or un-blinded."""
