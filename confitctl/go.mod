module confit/confitctl

go 1.26.0
